DROP INDEX `events_waiting`;--> statement-breakpoint
ALTER TABLE `events` ADD `wake_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `events_to_wake` ON `events` (`wake_at`) WHERE processed_at IS NULL;--> statement-breakpoint
DROP INDEX `mail_outbox_due`;--> statement-breakpoint
ALTER TABLE `mail_outbox` ADD `lease_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `mail_outbox` ADD `wake_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `mail_outbox_to_wake` ON `mail_outbox` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
DROP INDEX `subscriber_messages_due`;--> statement-breakpoint
ALTER TABLE `subscriber_messages` ADD `wake_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriber_messages_to_wake` ON `subscriber_messages` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
DROP INDEX `deliveries_due`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `wake_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_to_wake` ON `deliveries` (`wake_at`) WHERE state = 'pending';