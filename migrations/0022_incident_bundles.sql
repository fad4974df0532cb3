ALTER TABLE `incidents` ADD `bundle_id` text;--> statement-breakpoint
CREATE INDEX `incidents_bundle` ON `incidents` (`bundle_id`) WHERE bundle_id IS NOT NULL;