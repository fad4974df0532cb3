CREATE TABLE `provider_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`provider_id` text NOT NULL,
	`issuer` text NOT NULL,
	`sid` text,
	`sealed` text NOT NULL,
	`ask_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `provider_sessions_sid` ON `provider_sessions` (`issuer`,`sid`);--> statement-breakpoint
CREATE INDEX `provider_sessions_due` ON `provider_sessions` (`ask_at`);--> statement-breakpoint
ALTER TABLE `sign_in_providers` ADD `active_claim` text;--> statement-breakpoint
ALTER TABLE `sign_in_providers` ADD `refreshes_sessions` integer DEFAULT false NOT NULL;