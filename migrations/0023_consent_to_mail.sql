CREATE TABLE `mail_budgets` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`day_at` integer NOT NULL,
	`mails` integer DEFAULT 0 NOT NULL,
	`subscriber_mails` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `mail_consents` (
	`account_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`asked_at` integer,
	`agreed_at` integer,
	`stopped_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`address_hash`, `account_id`),
	FOREIGN KEY (`account_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_consents_account` ON `mail_consents` (`account_id`);--> statement-breakpoint
CREATE INDEX `mail_consents_unanswered` ON `mail_consents` (`asked_at`) WHERE agreed_at IS NULL AND stopped_at IS NULL;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `is_invited` integer DEFAULT false NOT NULL;