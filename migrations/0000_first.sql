CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`event_type` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`monitor_id` text,
	`status_page_id` text,
	`target_type` text NOT NULL,
	`target_id` text,
	`summary` text NOT NULL,
	`data` text DEFAULT '{}' NOT NULL,
	`ip` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_owner` ON `audit_log` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_page` ON `audit_log` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_monitor` ON `audit_log` (`monitor_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text,
	`monitor_id` text,
	`name` text NOT NULL,
	`classification` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer
);
--> statement-breakpoint
CREATE INDEX `events_page` ON `events` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_owner` ON `events` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`created_at`) WHERE processed_at IS NULL;--> statement-breakpoint
CREATE TABLE `incident_monitors` (
	`incident_id` text NOT NULL,
	`monitor_id` text NOT NULL,
	PRIMARY KEY(`incident_id`, `monitor_id`),
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `incident_monitors_monitor` ON `incident_monitors` (`monitor_id`);--> statement-breakpoint
CREATE TABLE `incident_updates` (
	`id` text PRIMARY KEY NOT NULL,
	`incident_id` text NOT NULL,
	`status` text NOT NULL,
	`message` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `incident_updates_incident` ON `incident_updates` (`incident_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `incidents` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text,
	`status_page_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`impact` text,
	`tags` text DEFAULT '[]' NOT NULL,
	`assigned_to_id` text,
	`is_public` integer NOT NULL,
	`started_at` integer NOT NULL,
	`resolved_at` integer,
	`acknowledged_at` integer,
	`acknowledged_by` text,
	`origin_monitor_id` text,
	`origin_outage_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`origin_monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_origin_outage_id_unique` ON `incidents` (`origin_outage_id`);--> statement-breakpoint
CREATE INDEX `incidents_page` ON `incidents` (`status_page_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `incidents_owner` ON `incidents` (`owner_id`,`started_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_one_open_per_monitor` ON `incidents` (`origin_monitor_id`) WHERE origin_monitor_id IS NOT NULL AND status <> 'resolved';--> statement-breakpoint
CREATE TABLE `check_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`shard_id` text NOT NULL,
	`interval` integer NOT NULL,
	`regions` text NOT NULL,
	`lane` text NOT NULL,
	`last_slot_at` integer,
	`latest` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `monitors` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`target` text,
	`interval` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`failure_threshold` integer NOT NULL,
	`recovery_threshold` integer NOT NULL,
	`retry_interval` integer,
	`latency_threshold_ms` integer,
	`regions` text DEFAULT '[]' NOT NULL,
	`region_policy` text DEFAULT 'majority' NOT NULL,
	`auto_create_incident` integer,
	`auto_publish_incident` integer,
	`incident_severity` text DEFAULT 'major' NOT NULL,
	`options` text DEFAULT '{}' NOT NULL,
	`sealed` text,
	`position` integer DEFAULT 0 NOT NULL,
	`shard_id` text NOT NULL,
	`check_group_id` text NOT NULL,
	`paused` integer DEFAULT false NOT NULL,
	`config_version` integer DEFAULT 1 NOT NULL,
	`synced_version` integer DEFAULT 0 NOT NULL,
	`state_revision` integer DEFAULT 0 NOT NULL,
	`state_seq` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`status_since` integer NOT NULL,
	`status_message` text,
	`settled` integer DEFAULT false NOT NULL,
	`retry_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `monitors_owner` ON `monitors` (`owner_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_page` ON `monitors` (`status_page_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_check_group` ON `monitors` (`check_group_id`);--> statement-breakpoint
CREATE INDEX `monitors_unsynced` ON `monitors` (`updated_at`) WHERE config_version > synced_version;--> statement-breakpoint
CREATE INDEX `monitors_retry` ON `monitors` (`retry_at`) WHERE retry_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `planned_minutes` (
	`minute_at` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `shards` (
	`id` text PRIMARY KEY NOT NULL,
	`interval` integer NOT NULL,
	`regions` text NOT NULL,
	`size` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `shards_room` ON `shards` (`interval`,`regions`,`size`);--> statement-breakpoint
CREATE TABLE `status_intervals` (
	`monitor_id` text NOT NULL,
	`seq` integer NOT NULL,
	`status` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer,
	`source` text DEFAULT 'check' NOT NULL,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_intervals_monitor_seq` ON `status_intervals` (`monitor_id`,`seq`);--> statement-breakpoint
CREATE INDEX `status_intervals_time` ON `status_intervals` (`monitor_id`,`from_at`);--> statement-breakpoint
CREATE TABLE `transitions` (
	`monitor_id` text NOT NULL,
	`seq` integer NOT NULL,
	`from_status` text NOT NULL,
	`to_status` text NOT NULL,
	`decided_at` integer NOT NULL,
	`effective_at` integer NOT NULL,
	`message` text NOT NULL,
	`outage_seq` integer,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `transitions_monitor_seq` ON `transitions` (`monitor_id`,`seq`);--> statement-breakpoint
CREATE TABLE `guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_stale" CHECK("guards"."name" <> 'stale')
);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` text NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer NOT NULL,
	`resource_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `route`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `status_pages` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text,
	`custom_domain` text,
	`ssl_type` text DEFAULT 'none' NOT NULL,
	`is_public` integer DEFAULT true NOT NULL,
	`show_branding` integer DEFAULT true NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`logo_url` text,
	`brand_color` text,
	`footer_text` text,
	`footer_links` text DEFAULT '[]' NOT NULL,
	`incident_system_enabled` integer DEFAULT true NOT NULL,
	`auto_create_incident` integer DEFAULT false NOT NULL,
	`auto_publish_incident` integer DEFAULT false NOT NULL,
	`failure_threshold` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_slug_unique` ON `status_pages` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_custom_domain_unique` ON `status_pages` (`custom_domain`);--> statement-breakpoint
CREATE INDEX `status_pages_owner` ON `status_pages` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_prefix` text NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_user` ON `api_tokens` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`plan` text,
	`beta` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event_name` text NOT NULL,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_age` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`delivery_id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`request` text NOT NULL,
	`response_status` integer,
	`response_body` text,
	`duration_ms` integer NOT NULL,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_attempts_webhook` ON `delivery_attempts` (`webhook_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text,
	`name` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`has_secret` integer DEFAULT false NOT NULL,
	`events` text DEFAULT '[]' NOT NULL,
	`alert_channels` text DEFAULT '{}' NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_team_only` integer DEFAULT false NOT NULL,
	`failing_since` integer,
	`disabled_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhooks_owner` ON `webhooks` (`owner_id`,`created_at`);