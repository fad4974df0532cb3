CREATE TABLE `escalation_policies` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`is_default` integer NOT NULL,
	`sealed_steps` text NOT NULL,
	`repeat_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `escalation_policies_page` ON `escalation_policies` (`status_page_id`,`name`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `escalation_policies_active` ON `escalation_policies` (`status_page_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE TABLE `on_call_schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`is_active` integer NOT NULL,
	`shifts` text NOT NULL,
	`rotations` text NOT NULL,
	`overrides` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `on_call_schedules_page` ON `on_call_schedules` (`status_page_id`,`name`,`id`);