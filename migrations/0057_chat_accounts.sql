CREATE TABLE `chat_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`service` text NOT NULL,
	`workspace_id` text NOT NULL,
	`chat_user_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chat_accounts_person` ON `chat_accounts` (`service`,`workspace_id`,`chat_user_id`);--> statement-breakpoint
CREATE INDEX `chat_accounts_user` ON `chat_accounts` (`user_id`);