CREATE TABLE `rule_incidents` (
	`incident_id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`rule_name` text NOT NULL,
	`ends_with` text NOT NULL,
	`subject_id` text,
	`good_since` integer,
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rule_incidents_rule` ON `rule_incidents` (`rule_id`);