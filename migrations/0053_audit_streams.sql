ALTER TABLE `webhooks` ADD `audit_from` integer;--> statement-breakpoint
CREATE INDEX `webhooks_auditing` ON `webhooks` (`owner_id`) WHERE audit_from IS NOT NULL AND is_active = 1;