CREATE TABLE `monitor_dependencies` (
	`monitor_id` text NOT NULL,
	`parent_id` text NOT NULL,
	PRIMARY KEY(`monitor_id`, `parent_id`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`parent_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `monitor_dependencies_parent` ON `monitor_dependencies` (`parent_id`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("__new_guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("__new_guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_seats" CHECK("__new_guards"."name" <> 'seats'),
	CONSTRAINT "guard_already_member" CHECK("__new_guards"."name" <> 'already_member'),
	CONSTRAINT "guard_event_rules" CHECK("__new_guards"."name" <> 'event_rules'),
	CONSTRAINT "guard_agents" CHECK("__new_guards"."name" <> 'agents'),
	CONSTRAINT "guard_webhooks" CHECK("__new_guards"."name" <> 'webhooks'),
	CONSTRAINT "guard_secrets" CHECK("__new_guards"."name" <> 'secrets'),
	CONSTRAINT "guard_open_incidents" CHECK("__new_guards"."name" <> 'open_incidents'),
	CONSTRAINT "guard_timeline_updates" CHECK("__new_guards"."name" <> 'timeline_updates'),
	CONSTRAINT "guard_incident_templates" CHECK("__new_guards"."name" <> 'incident_templates'),
	CONSTRAINT "guard_planned_maintenance" CHECK("__new_guards"."name" <> 'planned_maintenance'),
	CONSTRAINT "guard_page_subscribers" CHECK("__new_guards"."name" <> 'page_subscribers'),
	CONSTRAINT "guard_opened_accounts" CHECK("__new_guards"."name" <> 'opened_accounts'),
	CONSTRAINT "guard_stored_text" CHECK("__new_guards"."name" <> 'stored_text'),
	CONSTRAINT "guard_written_rows" CHECK("__new_guards"."name" <> 'written_rows'),
	CONSTRAINT "guard_agent_rows" CHECK("__new_guards"."name" <> 'agent_rows'),
	CONSTRAINT "guard_custom_domain" CHECK("__new_guards"."name" <> 'custom_domain'),
	CONSTRAINT "guard_locations" CHECK("__new_guards"."name" <> 'locations'),
	CONSTRAINT "guard_depends_on" CHECK("__new_guards"."name" <> 'depends_on'),
	CONSTRAINT "guard_stale" CHECK("__new_guards"."name" <> 'stale')
);
--> statement-breakpoint
INSERT INTO `__new_guards`("name") SELECT "name" FROM `guards`;--> statement-breakpoint
DROP TABLE `guards`;--> statement-breakpoint
ALTER TABLE `__new_guards` RENAME TO `guards`;--> statement-breakpoint
PRAGMA foreign_keys=ON;