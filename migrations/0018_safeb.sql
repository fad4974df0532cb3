DROP INDEX `status_pages_custom_domain_unique`;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_custom_domains` (
	`hostname` text NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text,
	`ssl_type` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`proof` text PRIMARY KEY NOT NULL,
	`provider_id` text,
	`provider_records` text DEFAULT '[]' NOT NULL,
	`claimed_at` integer NOT NULL,
	`proven_at` integer,
	`lost_since` integer,
	`aimed_at` integer,
	`astray_since` integer,
	`next_check_at` integer NOT NULL,
	`held_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_custom_domains`("hostname", "owner_id", "status_page_id", "ssl_type", "status", "error", "proof", "provider_id", "provider_records", "claimed_at", "proven_at", "lost_since", "aimed_at", "astray_since", "next_check_at", "held_until", "created_at", "updated_at") SELECT "hostname", "owner_id", "status_page_id", "ssl_type", "status", "error", "proof", "provider_id", "provider_records", "claimed_at", "proven_at", "lost_since", "aimed_at", "astray_since", "next_check_at", "held_until", "created_at", "updated_at" FROM `custom_domains`;--> statement-breakpoint
DROP TABLE `custom_domains`;--> statement-breakpoint
ALTER TABLE `__new_custom_domains` RENAME TO `custom_domains`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `custom_domains_page` ON `custom_domains` (`status_page_id`);--> statement-breakpoint
CREATE INDEX `custom_domains_hostname` ON `custom_domains` (`hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `custom_domains_proven` ON `custom_domains` (`hostname`) WHERE proven_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `custom_domains_due` ON `custom_domains` (`next_check_at`);--> statement-breakpoint
CREATE INDEX `custom_domains_orphaned` ON `custom_domains` (`hostname`) WHERE status_page_id IS NULL AND held_until IS NULL;--> statement-breakpoint
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
	CONSTRAINT "guard_custom_domain" CHECK("__new_guards"."name" <> 'custom_domain'),
	CONSTRAINT "guard_stale" CHECK("__new_guards"."name" <> 'stale')
);
--> statement-breakpoint
INSERT INTO `__new_guards`("name") SELECT "name" FROM `guards`;--> statement-breakpoint
DROP TABLE `guards`;--> statement-breakpoint
ALTER TABLE `__new_guards` RENAME TO `guards`;