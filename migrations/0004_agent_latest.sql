CREATE TABLE `agent_latest` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`latest` text DEFAULT '[]' NOT NULL,
	`look_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_latest_due` ON `agent_latest` (`look_at`) WHERE look_at IS NOT NULL;