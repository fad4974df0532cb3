CREATE TABLE `ping_keys` (
	`status_page_id` text PRIMARY KEY NOT NULL,
	`key_hash` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ping_keys_key_hash_unique` ON `ping_keys` (`key_hash`);