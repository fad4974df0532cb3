CREATE TABLE `incident_templates` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`initial_update` text,
	`is_public` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `incident_templates_page` ON `incident_templates` (`status_page_id`,`name`,`id`);--> statement-breakpoint
CREATE TABLE `held_outages` (
	`monitor_id` text PRIMARY KEY NOT NULL,
	`outage_seq` integer NOT NULL,
	`held_by` text NOT NULL,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `incident_groups` (
	`incident_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`incident_id`, `group_id`),
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `monitor_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `incident_groups_group` ON `incident_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `maintenance` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`is_public` integer NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`recurrence_type` text NOT NULL,
	`recurrence_interval` integer NOT NULL,
	`recurrence_end_date` integer,
	`recurrence_day_of_week` integer,
	`recurrence_day_of_month` integer,
	`cancelled_starts` text DEFAULT '[]' NOT NULL,
	`done_until` integer NOT NULL,
	`occurrence_start_at` integer,
	`occurrence_end_at` integer,
	`next_edge_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_page` ON `maintenance` (`status_page_id`,`start_time`);--> statement-breakpoint
CREATE INDEX `maintenance_owner` ON `maintenance` (`owner_id`,`start_time`);--> statement-breakpoint
CREATE INDEX `maintenance_due` ON `maintenance` (`next_edge_at`) WHERE next_edge_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `maintenance_groups` (
	`maintenance_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`maintenance_id`, `group_id`),
	FOREIGN KEY (`maintenance_id`) REFERENCES `maintenance`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `monitor_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_groups_group` ON `maintenance_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `maintenance_monitors` (
	`maintenance_id` text NOT NULL,
	`monitor_id` text NOT NULL,
	PRIMARY KEY(`maintenance_id`, `monitor_id`),
	FOREIGN KEY (`maintenance_id`) REFERENCES `maintenance`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_monitors_monitor` ON `maintenance_monitors` (`monitor_id`);--> statement-breakpoint
CREATE TABLE `maintenance_occurrences` (
	`maintenance_id` text NOT NULL,
	`start_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	PRIMARY KEY(`maintenance_id`, `start_at`),
	FOREIGN KEY (`maintenance_id`) REFERENCES `maintenance`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `maintenance_updates` (
	`id` text PRIMARY KEY NOT NULL,
	`maintenance_id` text NOT NULL,
	`status` text NOT NULL,
	`message` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`maintenance_id`) REFERENCES `maintenance`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_updates_maintenance` ON `maintenance_updates` (`maintenance_id`,`created_at`);