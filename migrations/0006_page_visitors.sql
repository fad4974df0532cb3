ALTER TABLE `status_pages` ADD `logo_dark_url` text;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `favicon_url` text;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `language` text DEFAULT 'en' NOT NULL;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `show_latency` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `password_hash` text;