ALTER TABLE `status_pages` ADD `header_image_url` text;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `layout` text DEFAULT 'list' NOT NULL;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `font` text DEFAULT 'inter' NOT NULL;