CREATE TABLE `__new_escalations` (
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
	FOREIGN KEY (`bundle_id`) REFERENCES `__new_escalations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`policy_id`) REFERENCES `escalation_policies`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_escalations`(`id`, `owner_id`, `status_page_id`, `incident_id`, `policy_id`, `state`, `revision`, `started_at`, `snoozed_until`, `due_at`, `created_at`, `updated_at`) SELECT `id`, `owner_id`, `status_page_id`, `incident_id`, `policy_id`, `state`, `revision`, `started_at`, `snoozed_until`, `due_at`, `created_at`, `updated_at` FROM `escalations`;--> statement-breakpoint
CREATE TABLE `__new_escalation_notifications` (
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
	FOREIGN KEY (`escalation_id`) REFERENCES `__new_escalations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_escalation_notifications`(`id`, `escalation_id`, `notification_key`, `level`, `contact_type`, `label`, `sealed`, `state`, `is_failure_reported`, `error`, `next_attempt_at`, `attempt`, `lease_until`, `wake_at`, `created_at`, `updated_at`) SELECT `id`, `escalation_id`, `notification_key`, `level`, `contact_type`, `label`, `sealed`, `state`, `is_failure_reported`, `error`, `next_attempt_at`, `attempt`, `lease_until`, `wake_at`, `created_at`, `updated_at` FROM `escalation_notifications`;--> statement-breakpoint
DROP TABLE `escalation_notifications`;--> statement-breakpoint
DROP TABLE `escalations`;--> statement-breakpoint
ALTER TABLE `__new_escalations` RENAME TO `escalations`;--> statement-breakpoint
ALTER TABLE `__new_escalation_notifications` RENAME TO `escalation_notifications`;--> statement-breakpoint
CREATE INDEX `escalation_notifications_escalation` ON `escalation_notifications` (`escalation_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalation_notifications_wake` ON `escalation_notifications` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_incident` ON `escalations` (`incident_id`);--> statement-breakpoint
CREATE INDEX `escalations_due` ON `escalations` (`due_at`,`id`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalations_page` ON `escalations` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalations_owner` ON `escalations` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `escalations_thread` ON `escalations` (`thread_id`) WHERE thread_id IS NOT NULL AND ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `escalations_bundle` ON `escalations` (`bundle_id`) WHERE bundle_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalations_monitor` ON `escalations` (`monitor_id`) WHERE monitor_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `escalation_notifications_mail` ON `escalation_notifications` (`mail_id`) WHERE mail_id IS NOT NULL;