ALTER TABLE `status_pages` ADD `alert_suppressions` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `rule_id` text;