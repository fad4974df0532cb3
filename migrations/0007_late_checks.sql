ALTER TABLE `status_pages` ADD `checks_late_since` integer;--> statement-breakpoint
CREATE INDEX `status_pages_late` ON `status_pages` (`checks_late_since`) WHERE checks_late_since IS NOT NULL;