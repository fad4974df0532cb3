DROP INDEX `subscriber_messages_subscriber`;--> statement-breakpoint
CREATE INDEX `subscriber_messages_told` ON `subscriber_messages` (`subscriber_id`,(news ->> '$.incident_id'),`created_at`);