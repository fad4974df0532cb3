CREATE TABLE `event_log` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text NOT NULL,
	`event_name` text NOT NULL,
	`classification` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`monitor_id` text,
	`agent_id` text,
	`payload` text,
	`rule_id` text,
	`evaluates_rules` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `event_log_page` ON `event_log` (`status_page_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `event_log_owner` ON `event_log` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `event_rule_versions` (
	`rule_id` text NOT NULL,
	`version` integer NOT NULL,
	`content` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `version`),
	FOREIGN KEY (`rule_id`) REFERENCES `event_rules`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `event_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`event_name` text NOT NULL,
	`display_name` text NOT NULL,
	`classification` text NOT NULL,
	`conditions` text NOT NULL,
	`actions` text NOT NULL,
	`sealed_channels` text,
	`cooldown_seconds` integer NOT NULL,
	`max_fires_per_hour` integer,
	`notify_in_maintenance` integer NOT NULL,
	`is_enabled` integer NOT NULL,
	`monitor_id` text,
	`agent_id` text,
	`incident_template_id` text,
	`version` integer NOT NULL,
	`last_fired_at` integer,
	`fired_at` text DEFAULT '[]' NOT NULL,
	`fire_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`incident_template_id`) REFERENCES `incident_templates`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `event_rules_page` ON `event_rules` (`status_page_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `event_rules_monitor` ON `event_rules` (`monitor_id`);--> statement-breakpoint
CREATE INDEX `event_rules_agent` ON `event_rules` (`agent_id`);--> statement-breakpoint
CREATE INDEX `event_rules_template` ON `event_rules` (`incident_template_id`);--> statement-breakpoint
ALTER TABLE `status_pages` ADD `enabled_rules` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("__new_guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("__new_guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_seats" CHECK("__new_guards"."name" <> 'seats'),
	CONSTRAINT "guard_already_member" CHECK("__new_guards"."name" <> 'already_member'),
	CONSTRAINT "guard_event_rules" CHECK("__new_guards"."name" <> 'event_rules'),
	CONSTRAINT "guard_stale" CHECK("__new_guards"."name" <> 'stale')
);
--> statement-breakpoint
INSERT INTO `__new_guards`("name") SELECT "name" FROM `guards`;--> statement-breakpoint
DROP TABLE `guards`;--> statement-breakpoint
ALTER TABLE `__new_guards` RENAME TO `guards`;--> statement-breakpoint
PRAGMA foreign_keys=ON;