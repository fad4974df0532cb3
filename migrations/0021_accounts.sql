CREATE TABLE `account_links` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_links_token_hash_unique` ON `account_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `account_links_user` ON `account_links` (`user_id`);--> statement-breakpoint
CREATE INDEX `account_links_age` ON `account_links` (`expires_at`);--> statement-breakpoint
ALTER TABLE `page_invitations` ADD `mail_token_hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_mail_token_hash_unique` ON `page_invitations` (`mail_token_hash`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `user_agent` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `ip` text;--> statement-breakpoint
ALTER TABLE `users` ADD `email_verified_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `vouched_by` text;--> statement-breakpoint
ALTER TABLE `users` ADD `operator` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `users` SET `email_verified_at` = `created_at`;
