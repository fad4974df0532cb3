CREATE TABLE `phone_budgets` (
	`webhook_id` text PRIMARY KEY NOT NULL,
	`month` text NOT NULL,
	`taken` integer NOT NULL,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `notify_contacts` ADD `number_hash` text;--> statement-breakpoint
ALTER TABLE `notify_contacts` ADD `code_attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `notify_contacts_number` ON `notify_contacts` (`number_hash`) WHERE number_hash IS NOT NULL;