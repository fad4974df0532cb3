ALTER TABLE `held_outages` ADD `announced` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `held_outages` ADD `routing` text;