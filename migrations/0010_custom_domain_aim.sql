ALTER TABLE `custom_domains` ADD `aimed_at` integer;--> statement-breakpoint
ALTER TABLE `custom_domains` ADD `astray_since` integer;