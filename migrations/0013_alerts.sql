ALTER TABLE `monitors` ADD `expiry_notice_at` integer;--> statement-breakpoint
CREATE INDEX `monitors_expiry` ON `monitors` (`expiry_notice_at`) WHERE expiry_notice_at IS NOT NULL;