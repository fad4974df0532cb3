CREATE TABLE `__new_delivery_attempts` (
	`delivery_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`id` text,
	`webhook_id` text,
	`request` text NOT NULL,
	`response_status` integer,
	`response_body` text,
	`duration_ms` integer NOT NULL,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `attempt`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_delivery_attempts`("delivery_id", "attempt", "request", "response_status", "response_body", "duration_ms", "error", "next_attempt_at", "created_at") SELECT "delivery_id", "attempt", CASE WHEN "request" ->> '$.method' = 'POST' AND "request" ->> '$.body' IS NULL THEN json_object('url', "request" ->> '$.url', 'signature', "request" ->> '$.headers."webhook-signature"') ELSE "request" END, "response_status", "response_body", "duration_ms", "error", "next_attempt_at", "created_at" FROM `delivery_attempts`;--> statement-breakpoint
DROP TABLE `delivery_attempts`;--> statement-breakpoint
ALTER TABLE `__new_delivery_attempts` RENAME TO `delivery_attempts`;