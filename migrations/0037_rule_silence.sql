ALTER TABLE `rule_incidents` ADD `heard_at` integer;--> statement-breakpoint
ALTER TABLE `rule_incidents` ADD `silence_ms` integer;