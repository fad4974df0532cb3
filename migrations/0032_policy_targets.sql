ALTER TABLE `escalation_policies` ADD `targets` text;--> statement-breakpoint
ALTER TABLE `escalation_policies` ADD `position` integer DEFAULT 0 NOT NULL;