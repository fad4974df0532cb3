ALTER TABLE `page_members` ADD `given_by` text;--> statement-breakpoint
ALTER TABLE `sign_in_providers` ADD `groups_claim` text;--> statement-breakpoint
ALTER TABLE `sign_in_providers` ADD `group_roles` text DEFAULT '[]' NOT NULL;