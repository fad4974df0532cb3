CREATE TABLE `application_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `contact_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`contact_id` text NOT NULL,
	`sealed` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`contact_id`) REFERENCES `notify_contacts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `contact_messages_contact` ON `contact_messages` (`contact_id`);--> statement-breakpoint
CREATE INDEX `contact_messages_to_wake` ON `contact_messages` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `contact_messages_age` ON `contact_messages` (`created_at`);