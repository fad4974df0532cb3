DROP INDEX `monitors_check_group`;--> statement-breakpoint
CREATE INDEX `monitors_check_group` ON `monitors` (`check_group_id`,`paused`);