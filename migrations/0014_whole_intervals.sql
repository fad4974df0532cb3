DROP INDEX `status_intervals_time`;--> statement-breakpoint
CREATE INDEX `status_intervals_time` ON `status_intervals` (`monitor_id`,`from_at`,`seq`,`to_at`,`status`);