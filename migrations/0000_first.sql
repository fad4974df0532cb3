CREATE TABLE `account_links` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_links_token_hash_unique` ON `account_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `account_links_user` ON `account_links` (`user_id`);--> statement-breakpoint
CREATE INDEX `account_links_age` ON `account_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `agent_latency` (
	`monitor_id` text NOT NULL,
	`day_at` integer NOT NULL,
	`hours` text NOT NULL,
	PRIMARY KEY(`monitor_id`, `day_at`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agent_commands` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`type` text NOT NULL,
	`params` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`acked_at` integer,
	`ok` integer,
	`result` text,
	`error` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_commands_waiting` ON `agent_commands` (`agent_id`,`created_at`) WHERE acked_at IS NULL;--> statement-breakpoint
CREATE INDEX `agent_commands_age` ON `agent_commands` (`created_at`);--> statement-breakpoint
CREATE TABLE `agent_reports` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_reports_agent` ON `agent_reports` (`agent_id`,`kind`,`at`);--> statement-breakpoint
CREATE INDEX `agent_reports_age` ON `agent_reports` (`at`);--> statement-breakpoint
CREATE TABLE `agent_results` (
	`monitor_id` text NOT NULL,
	`checked_at` integer NOT NULL,
	`status` text NOT NULL,
	`latency_ms` integer,
	`message` text NOT NULL,
	`details` text DEFAULT '{}' NOT NULL,
	`is_late` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`monitor_id`, `checked_at`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_results_expiry` ON `agent_results` (`expires_at`);--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text,
	`name` text NOT NULL,
	`hostname` text,
	`region` text,
	`version` text,
	`os` text,
	`arch` text,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`token_hash` text,
	`next_token_hash` text,
	`status` text DEFAULT 'offline' NOT NULL,
	`last_seen_at` integer,
	`enrolled_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `agents_owner` ON `agents` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `agents_page` ON `agents` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_token` ON `agents` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_next_token` ON `agents` (`next_token_hash`);--> statement-breakpoint
CREATE INDEX `agents_online` ON `agents` (`last_seen_at`) WHERE status = 'online';--> statement-breakpoint
CREATE TABLE `install_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`agent_id` text,
	`status_page_id` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `install_tokens_token` ON `install_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `install_tokens_age` ON `install_tokens` (`expires_at`);--> statement-breakpoint
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
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor_name`);--> statement-breakpoint
CREATE INDEX `audit_log_owner` ON `audit_log` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_page` ON `audit_log` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_monitor` ON `audit_log` (`monitor_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `chat_link_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`status_page_id` text NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `chat_link_tokens_page` ON `chat_link_tokens` (`status_page_id`);--> statement-breakpoint
CREATE INDEX `chat_link_tokens_expiry` ON `chat_link_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `chat_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `chat_requests_age` ON `chat_requests` (`created_at`);--> statement-breakpoint
CREATE TABLE `status_channels` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text NOT NULL,
	`service` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_channels_link` ON `status_channels` (`service`,`channel_id`,`status_page_id`);--> statement-breakpoint
CREATE INDEX `status_channels_page` ON `status_channels` (`status_page_id`,`service`);--> statement-breakpoint
CREATE TABLE `status_posts` (
	`id` text PRIMARY KEY NOT NULL,
	`status_channel_id` text NOT NULL,
	`incident_id` text,
	`message_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`next_attempt_at` integer,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_channel_id`) REFERENCES `status_channels`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `status_posts_channel` ON `status_posts` (`status_channel_id`);--> statement-breakpoint
CREATE INDEX `status_posts_wake` ON `status_posts` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `custom_domains` (
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
CREATE UNIQUE INDEX `custom_domains_page` ON `custom_domains` (`status_page_id`);--> statement-breakpoint
CREATE INDEX `custom_domains_hostname` ON `custom_domains` (`hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `custom_domains_proven` ON `custom_domains` (`hostname`) WHERE proven_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `custom_domains_due` ON `custom_domains` (`next_check_at`);--> statement-breakpoint
CREATE INDEX `custom_domains_orphaned` ON `custom_domains` (`hostname`) WHERE status_page_id IS NULL AND held_until IS NULL;--> statement-breakpoint
CREATE TABLE `daily_rollups` (
	`monitor_id` text NOT NULL,
	`month` text NOT NULL,
	`timezone` text NOT NULL,
	`to_at` integer NOT NULL,
	`status` text,
	`days` text NOT NULL,
	PRIMARY KEY(`monitor_id`, `month`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `delivery_budgets` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`minute_at` integer NOT NULL,
	`taken` integer NOT NULL,
	`throttled_since` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_budgets_throttled` ON `delivery_budgets` (`throttled_since`) WHERE throttled_since IS NOT NULL;--> statement-breakpoint
CREATE TABLE `escalation_notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`escalation_id` text NOT NULL,
	`notification_key` text NOT NULL,
	`level` integer NOT NULL,
	`contact_type` text NOT NULL,
	`label` text NOT NULL,
	`sealed` text NOT NULL,
	`mail_id` text,
	`state` text NOT NULL,
	`is_failure_reported` integer DEFAULT false NOT NULL,
	`error` text,
	`next_attempt_at` integer,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`escalation_id`) REFERENCES `escalations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `escalation_notifications_escalation` ON `escalation_notifications` (`escalation_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalation_notifications_mail` ON `escalation_notifications` (`mail_id`) WHERE mail_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalation_notifications_wake` ON `escalation_notifications` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `escalations` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text NOT NULL,
	`incident_id` text,
	`subject` text,
	`thread_id` text,
	`monitor_id` text,
	`transition_seq` integer,
	`ended_at` integer,
	`acknowledged_at` integer,
	`acknowledged_by` text,
	`is_automatic` integer DEFAULT false NOT NULL,
	`bundle_id` text,
	`bundled_at` integer,
	`policy_id` text,
	`state` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`snoozed_until` integer,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `escalations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`policy_id`) REFERENCES `escalation_policies`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_incident` ON `escalations` (`incident_id`);--> statement-breakpoint
CREATE INDEX `escalations_due` ON `escalations` (`due_at`,`id`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalations_page` ON `escalations` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalations_owner` ON `escalations` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalations_thread` ON `escalations` (`thread_id`) WHERE thread_id IS NOT NULL AND ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `escalations_bundle` ON `escalations` (`bundle_id`) WHERE bundle_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalations_monitor` ON `escalations` (`monitor_id`) WHERE monitor_id IS NOT NULL;--> statement-breakpoint
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
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text,
	`monitor_id` text,
	`name` text NOT NULL,
	`classification` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`held_until` integer
);
--> statement-breakpoint
CREATE INDEX `events_page` ON `events` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_owner` ON `events` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_held` ON `events` (`owner_id`,`status_page_id`) WHERE held_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_overdue` ON `events` (`held_until`) WHERE held_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_to_wake` ON `events` (`wake_at`) WHERE processed_at IS NULL;--> statement-breakpoint
CREATE TABLE `flapping_monitors` (
	`monitor_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`held_routing` text,
	`revision` integer NOT NULL,
	`wake_at` integer NOT NULL,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `flapping_monitors_wake` ON `flapping_monitors` (`wake_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` text NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer NOT NULL,
	`resource_id` text,
	`answer` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `route`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `incident_templates_owner` ON `incident_templates` (`owner_id`);--> statement-breakpoint
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
CREATE INDEX `incidents_open_by_people` ON `incidents` (`owner_id`) WHERE created_by IS NOT NULL AND status <> 'resolved';--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_one_open_per_monitor` ON `incidents` (`origin_monitor_id`) WHERE origin_monitor_id IS NOT NULL AND status <> 'resolved';--> statement-breakpoint
CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`ticks` integer NOT NULL,
	`known_until` integer NOT NULL,
	`ticked_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text,
	`state` text DEFAULT 'pending' NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_outbox_to_wake` ON `mail_outbox` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `mail_outbox_age` ON `mail_outbox` (`created_at`);--> statement-breakpoint
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
	`external_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_page` ON `maintenance` (`status_page_id`,`start_time`);--> statement-breakpoint
CREATE INDEX `maintenance_owner` ON `maintenance` (`owner_id`,`start_time`);--> statement-breakpoint
CREATE UNIQUE INDEX `maintenance_external_key` ON `maintenance` (`owner_id`,`external_key`);--> statement-breakpoint
CREATE INDEX `maintenance_planned` ON `maintenance` (`owner_id`) WHERE next_edge_at IS NOT NULL;--> statement-breakpoint
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
CREATE INDEX `maintenance_updates_maintenance` ON `maintenance_updates` (`maintenance_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `page_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`token_hash` text NOT NULL,
	`mail_token_hash` text,
	`invited_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_token_hash_unique` ON `page_invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_mail_token_hash_unique` ON `page_invitations` (`mail_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_pending` ON `page_invitations` (`status_page_id`,`email`) WHERE accepted_at IS NULL;--> statement-breakpoint
CREATE INDEX `page_invitations_age` ON `page_invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `page_members` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`invitation_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_members_once` ON `page_members` (`status_page_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `page_members_user` ON `page_members` (`user_id`,`status_page_id`);--> statement-breakpoint
CREATE TABLE `metrics_tokens` (
	`user_id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `metrics_tokens_token_hash_unique` ON `metrics_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `monitor_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`external_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `monitor_groups_page` ON `monitor_groups` (`status_page_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitor_groups_owner` ON `monitor_groups` (`owner_id`,`position`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `monitor_groups_external_key` ON `monitor_groups` (`owner_id`,`external_key`);--> statement-breakpoint
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
CREATE TABLE `deleted_monitors` (
	`monitor_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `monitors` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text,
	`group_id` text,
	`parent_monitor_id` text,
	`agent_id` text,
	`is_internal` integer DEFAULT false NOT NULL,
	`external_key` text,
	`tags` text DEFAULT '[]' NOT NULL,
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
	`muted_until` integer,
	`flapping` integer DEFAULT false NOT NULL,
	`credential_version` integer DEFAULT 1 NOT NULL,
	`config_version` integer DEFAULT 1 NOT NULL,
	`synced_version` integer DEFAULT 0 NOT NULL,
	`synced_epoch` text DEFAULT '' NOT NULL,
	`state_revision` integer DEFAULT 0 NOT NULL,
	`state_seq` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`status_since` integer NOT NULL,
	`status_message` text,
	`settled` integer DEFAULT false NOT NULL,
	`retry_at` integer,
	`certificate_expires_at` integer,
	`domain_expires_at` integer,
	`expiry_notice_at` integer,
	`history_version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`group_id`) REFERENCES `monitor_groups`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`parent_monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `monitors_owner` ON `monitors` (`owner_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_page` ON `monitors` (`status_page_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_check_group` ON `monitors` (`check_group_id`);--> statement-breakpoint
CREATE INDEX `monitors_parent` ON `monitors` (`parent_monitor_id`);--> statement-breakpoint
CREATE INDEX `monitors_group` ON `monitors` (`group_id`);--> statement-breakpoint
CREATE INDEX `monitors_agent` ON `monitors` (`agent_id`) WHERE agent_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `monitors_external_key` ON `monitors` (`owner_id`,`external_key`);--> statement-breakpoint
CREATE INDEX `monitors_expiry` ON `monitors` (`expiry_notice_at`) WHERE expiry_notice_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_unsynced` ON `monitors` (`updated_at`) WHERE config_version <> synced_version;--> statement-breakpoint
CREATE INDEX `monitors_synced_epoch` ON `monitors` (`synced_epoch`);--> statement-breakpoint
CREATE INDEX `monitors_retry` ON `monitors` (`retry_at`) WHERE retry_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_reconcile` ON `monitors` (created_at % 5,`id`) WHERE check_group_id = '' AND agent_id IS NULL AND paused = 0;--> statement-breakpoint
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
	`event` text,
	`region` text,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `transitions_monitor_seq` ON `transitions` (`monitor_id`,`seq`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`type` text NOT NULL,
	`title` text NOT NULL,
	`message` text NOT NULL,
	`status_page_id` text,
	`target_id` text,
	`read_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notifications_user` ON `notifications` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `notify_contacts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`type` text NOT NULL,
	`sealed` text NOT NULL,
	`label` text,
	`verified_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notify_contacts_user` ON `notify_contacts` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `calendar_feeds` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`schedule_id` text,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calendar_feeds_token_hash_unique` ON `calendar_feeds` (`token_hash`);--> statement-breakpoint
CREATE INDEX `calendar_feeds_schedule` ON `calendar_feeds` (`schedule_id`);--> statement-breakpoint
CREATE INDEX `calendar_feeds_user` ON `calendar_feeds` (`user_id`);--> statement-breakpoint
CREATE TABLE `escalation_policies` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`is_default` integer NOT NULL,
	`sealed_steps` text NOT NULL,
	`repeat_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `escalation_policies_page` ON `escalation_policies` (`status_page_id`,`name`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `escalation_policies_active` ON `escalation_policies` (`status_page_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE TABLE `on_call_schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`is_active` integer NOT NULL,
	`shifts` text NOT NULL,
	`rotations` text NOT NULL,
	`overrides` text NOT NULL,
	`next_review_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `on_call_schedules_page` ON `on_call_schedules` (`status_page_id`,`name`,`id`);--> statement-breakpoint
CREATE INDEX `on_call_schedules_review` ON `on_call_schedules` (`next_review_at`) WHERE is_active = 1;--> statement-breakpoint
CREATE TABLE `outages` (
	`id` text PRIMARY KEY NOT NULL,
	`monitor_id` text NOT NULL,
	`seq` integer NOT NULL,
	`status_page_id` text,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`cause` text NOT NULL,
	`regions` text DEFAULT '[]' NOT NULL,
	`in_maintenance` integer NOT NULL,
	`evidence` text,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outages_monitor` ON `outages` (`monitor_id`,`started_at`,`seq`);--> statement-breakpoint
CREATE INDEX `outages_page` ON `outages` (`status_page_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `page_transfers` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`from_user_id` text NOT NULL,
	`to_user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`from_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`to_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_transfers_status_page_id_unique` ON `page_transfers` (`status_page_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `page_transfers_token_hash_unique` ON `page_transfers` (`token_hash`);--> statement-breakpoint
CREATE INDEX `page_transfers_age` ON `page_transfers` (`expires_at`);--> statement-breakpoint
CREATE TABLE `queue_health` (
	`queue` text PRIMARY KEY NOT NULL,
	`marker_sent_at` integer,
	`dead_letters` integer DEFAULT 0 NOT NULL,
	`dead_letter_at` integer
);
--> statement-breakpoint
CREATE TABLE `referrals` (
	`user_id` text PRIMARY KEY NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`signups` integer DEFAULT 0 NOT NULL,
	`credits_redeemed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `passwords` (
	`user_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`user_agent` text,
	`ip` text,
	`password_at` integer,
	`last_used_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_idle` ON `sessions` (`last_used_at`);--> statement-breakpoint
CREATE TABLE `sla_assignments` (
	`status_page_id` text PRIMARY KEY NOT NULL,
	`policy_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`policy_id`) REFERENCES `sla_policies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sla_assignments_policy` ON `sla_assignments` (`policy_id`);--> statement-breakpoint
CREATE TABLE `sla_policies` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`name` text NOT NULL,
	`target_percentage` real NOT NULL,
	`period` text NOT NULL,
	`exclude_maintenance` integer NOT NULL,
	`degraded_counts_as_downtime` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sla_policies_owner` ON `sla_policies` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `sla_targets` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`monitor_id` text,
	`target_percentage` real NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sla_targets_monitor` ON `sla_targets` (`status_page_id`,`monitor_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sla_targets_page` ON `sla_targets` (`status_page_id`) WHERE monitor_id IS NULL;--> statement-breakpoint
CREATE INDEX `sla_targets_of_monitor` ON `sla_targets` (`monitor_id`);--> statement-breakpoint
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
	`logo_dark_url` text,
	`favicon_url` text,
	`language` text DEFAULT 'en' NOT NULL,
	`show_latency` integer DEFAULT true NOT NULL,
	`password_hash` text,
	`brand_color` text,
	`footer_text` text,
	`footer_links` text DEFAULT '[]' NOT NULL,
	`incident_system_enabled` integer DEFAULT true NOT NULL,
	`auto_create_incident` integer DEFAULT false NOT NULL,
	`auto_publish_incident` integer DEFAULT false NOT NULL,
	`failure_threshold` integer,
	`external_key` text,
	`imprint_url` text,
	`privacy_url` text,
	`advanced_alerts` integer DEFAULT false NOT NULL,
	`alert_routing` text DEFAULT '{}' NOT NULL,
	`notify_team` text DEFAULT '{}' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`checks_late_since` integer,
	`alert_suppressions` text DEFAULT '{}' NOT NULL,
	`enabled_rules` integer DEFAULT 0 NOT NULL,
	`metric_rules` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_slug_unique` ON `status_pages` (`slug`);--> statement-breakpoint
CREATE INDEX `status_pages_owner` ON `status_pages` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_external_key` ON `status_pages` (`owner_id`,`external_key`);--> statement-breakpoint
CREATE INDEX `status_pages_late` ON `status_pages` (`checks_late_since`) WHERE checks_late_since IS NOT NULL;--> statement-breakpoint
CREATE TABLE `stored_texts` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`measured_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `subscriber_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`subscriber_id` text NOT NULL,
	`kind` text NOT NULL,
	`news` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`subscriber_id`) REFERENCES `subscribers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `subscriber_messages_to_wake` ON `subscriber_messages` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `subscriber_messages_subscriber` ON `subscriber_messages` (`subscriber_id`);--> statement-breakpoint
CREATE INDEX `subscriber_messages_age` ON `subscriber_messages` (`created_at`);--> statement-breakpoint
CREATE TABLE `subscribers` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text NOT NULL,
	`channel` text NOT NULL,
	`endpoint_hash` text NOT NULL,
	`sealed` text,
	`endpoint_masked` text NOT NULL,
	`events` text DEFAULT '[]' NOT NULL,
	`monitor_ids` text DEFAULT '[]' NOT NULL,
	`group_ids` text DEFAULT '[]' NOT NULL,
	`requested_at` integer,
	`confirmed_at` integer,
	`unsubscribed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_endpoint` ON `subscribers` (`status_page_id`,`channel`,`endpoint_hash`);--> statement-breakpoint
CREATE INDEX `subscribers_page` ON `subscribers` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `subscribers_confirmed` ON `subscribers` (`status_page_id`) WHERE confirmed_at IS NOT NULL AND unsubscribed_at IS NULL;--> statement-breakpoint
CREATE INDEX `subscribers_unconfirmed` ON `subscribers` (`requested_at`) WHERE confirmed_at IS NULL;--> statement-breakpoint
CREATE INDEX `subscribers_left` ON `subscribers` (`unsubscribed_at`) WHERE unsubscribed_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `upkeep_rounds` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_code_hash_unique` ON `recovery_codes` (`code_hash`);--> statement-breakpoint
CREATE INDEX `recovery_codes_user` ON `recovery_codes` (`user_id`);--> statement-breakpoint
CREATE TABLE `two_factors` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`confirmed_at` integer,
	`last_used_step` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
	`email_verified_at` integer,
	`vouched_by` text,
	`operator` integer DEFAULT false NOT NULL,
	`preferences` text DEFAULT '{}' NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_deleted` ON `users` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `chat_messages` (
	`webhook_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`state` text NOT NULL,
	`message_id` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`webhook_id`, `thread_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `chat_messages_age` ON `chat_messages` (`updated_at`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event_name` text NOT NULL,
	`rule_id` text,
	`state` text NOT NULL,
	`throttled_owner_id` text,
	`next_attempt_at` integer,
	`bundled_into` text,
	`bundle_size` integer,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `deliveries_to_wake` ON `deliveries` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_throttled` ON `deliveries` (`throttled_owner_id`,`created_at`) WHERE throttled_owner_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_bundle` ON `deliveries` (`bundled_into`) WHERE bundled_into IS NOT NULL;--> statement-breakpoint
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
	`is_active` integer DEFAULT true NOT NULL,
	`is_team_only` integer DEFAULT false NOT NULL,
	`failing_since` integer,
	`warned_at` integer,
	`disabled_reason` text,
	`slow_since` integer,
	`external_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhooks_owner` ON `webhooks` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_external_key` ON `webhooks` (`owner_id`,`external_key`);--> statement-breakpoint
CREATE INDEX `webhooks_unwarned` ON `webhooks` (`failing_since`) WHERE failing_since IS NOT NULL AND warned_at IS NULL AND is_active = 1;--> statement-breakpoint
CREATE TABLE `guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_seats" CHECK("guards"."name" <> 'seats'),
	CONSTRAINT "guard_already_member" CHECK("guards"."name" <> 'already_member'),
	CONSTRAINT "guard_event_rules" CHECK("guards"."name" <> 'event_rules'),
	CONSTRAINT "guard_webhooks" CHECK("guards"."name" <> 'webhooks'),
	CONSTRAINT "guard_open_incidents" CHECK("guards"."name" <> 'open_incidents'),
	CONSTRAINT "guard_timeline_updates" CHECK("guards"."name" <> 'timeline_updates'),
	CONSTRAINT "guard_incident_templates" CHECK("guards"."name" <> 'incident_templates'),
	CONSTRAINT "guard_planned_maintenance" CHECK("guards"."name" <> 'planned_maintenance'),
	CONSTRAINT "guard_page_subscribers" CHECK("guards"."name" <> 'page_subscribers'),
	CONSTRAINT "guard_stored_text" CHECK("guards"."name" <> 'stored_text'),
	CONSTRAINT "guard_custom_domain" CHECK("guards"."name" <> 'custom_domain'),
	CONSTRAINT "guard_stale" CHECK("guards"."name" <> 'stale')
);
