CREATE TABLE `webhook_reminders` (
	`webhook_id` text NOT NULL,
	`monitor_id` text NOT NULL,
	`outage_seq` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`webhook_id`, `monitor_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_reminders_monitor` ON `webhook_reminders` (`monitor_id`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `remind_every_minutes` integer;--> statement-breakpoint
CREATE INDEX `webhooks_reminding` ON `webhooks` (`owner_id`) WHERE remind_every_minutes IS NOT NULL AND is_active = 1;--> statement-breakpoint
CREATE INDEX `outages_open` ON `outages` (`monitor_id`) WHERE ended_at IS NULL;