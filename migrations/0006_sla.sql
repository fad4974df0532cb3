CREATE TABLE `custom_domains` (
	`hostname` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text,
	`ssl_type` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`proof` text NOT NULL,
	`provider_id` text,
	`provider_records` text DEFAULT '[]' NOT NULL,
	`claimed_at` integer NOT NULL,
	`proven_at` integer,
	`lost_since` integer,
	`next_check_at` integer NOT NULL,
	`held_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `custom_domains_page` ON `custom_domains` (`status_page_id`);--> statement-breakpoint
CREATE INDEX `custom_domains_due` ON `custom_domains` (`next_check_at`);--> statement-breakpoint
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
CREATE TABLE `subscriber_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`subscriber_id` text NOT NULL,
	`kind` text NOT NULL,
	`news` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`subscriber_id`) REFERENCES `subscribers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `subscriber_messages_due` ON `subscriber_messages` (`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
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
CREATE INDEX `subscribers_unconfirmed` ON `subscribers` (`requested_at`) WHERE confirmed_at IS NULL;