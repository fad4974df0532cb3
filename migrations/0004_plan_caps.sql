CREATE TABLE `stored_texts` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`measured_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `incident_templates_owner` ON `incident_templates` (`owner_id`);--> statement-breakpoint
CREATE INDEX `incidents_open_by_people` ON `incidents` (`owner_id`) WHERE created_by IS NOT NULL AND status <> 'resolved';--> statement-breakpoint
CREATE INDEX `maintenance_planned` ON `maintenance` (`owner_id`) WHERE next_edge_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscribers_confirmed` ON `subscribers` (`status_page_id`) WHERE confirmed_at IS NOT NULL AND unsubscribed_at IS NULL;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("__new_guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("__new_guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_seats" CHECK("__new_guards"."name" <> 'seats'),
	CONSTRAINT "guard_already_member" CHECK("__new_guards"."name" <> 'already_member'),
	CONSTRAINT "guard_event_rules" CHECK("__new_guards"."name" <> 'event_rules'),
	CONSTRAINT "guard_webhooks" CHECK("__new_guards"."name" <> 'webhooks'),
	CONSTRAINT "guard_open_incidents" CHECK("__new_guards"."name" <> 'open_incidents'),
	CONSTRAINT "guard_timeline_updates" CHECK("__new_guards"."name" <> 'timeline_updates'),
	CONSTRAINT "guard_incident_templates" CHECK("__new_guards"."name" <> 'incident_templates'),
	CONSTRAINT "guard_planned_maintenance" CHECK("__new_guards"."name" <> 'planned_maintenance'),
	CONSTRAINT "guard_page_subscribers" CHECK("__new_guards"."name" <> 'page_subscribers'),
	CONSTRAINT "guard_stored_text" CHECK("__new_guards"."name" <> 'stored_text'),
	CONSTRAINT "guard_stale" CHECK("__new_guards"."name" <> 'stale')
);
--> statement-breakpoint
INSERT INTO `__new_guards`("name") SELECT "name" FROM `guards`;--> statement-breakpoint
DROP TABLE `guards`;--> statement-breakpoint
ALTER TABLE `__new_guards` RENAME TO `guards`;--> statement-breakpoint
PRAGMA foreign_keys=ON;