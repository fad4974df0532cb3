CREATE TABLE `deleted_monitors` (
	`monitor_id` text PRIMARY KEY NOT NULL
);
