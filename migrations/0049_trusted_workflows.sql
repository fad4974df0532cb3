CREATE TABLE `trusted_workflows` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`repository` text NOT NULL,
	`repository_id` text,
	`branch` text,
	`environment` text,
	`scopes` text NOT NULL,
	`status_page_ids` text,
	`lifetime_minutes` integer NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `trusted_workflows_user` ON `trusted_workflows` (`user_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `trusted_workflow_id` text REFERENCES trusted_workflows(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `api_tokens_workflow` ON `api_tokens` (`trusted_workflow_id`) WHERE trusted_workflow_id IS NOT NULL;