CREATE TABLE `chat_link_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`status_page_id` text NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `chat_link_tokens_page` ON `chat_link_tokens` (`status_page_id`);--> statement-breakpoint
CREATE INDEX `chat_link_tokens_expiry` ON `chat_link_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `chat_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `chat_requests_age` ON `chat_requests` (`created_at`);--> statement-breakpoint
CREATE TABLE `status_channels` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`status_page_id` text NOT NULL,
	`service` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_channels_link` ON `status_channels` (`service`,`channel_id`,`status_page_id`);--> statement-breakpoint
CREATE INDEX `status_channels_page` ON `status_channels` (`status_page_id`,`service`);--> statement-breakpoint
CREATE TABLE `status_posts` (
	`id` text PRIMARY KEY NOT NULL,
	`status_channel_id` text NOT NULL,
	`incident_id` text,
	`message_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`next_attempt_at` integer,
	`attempt` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`wake_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_channel_id`) REFERENCES `status_channels`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `status_posts_channel` ON `status_posts` (`status_channel_id`);--> statement-breakpoint
CREATE INDEX `status_posts_wake` ON `status_posts` (`wake_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `calendar_feeds` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`schedule_id` text,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calendar_feeds_token_hash_unique` ON `calendar_feeds` (`token_hash`);--> statement-breakpoint
CREATE INDEX `calendar_feeds_schedule` ON `calendar_feeds` (`schedule_id`);--> statement-breakpoint
CREATE INDEX `calendar_feeds_user` ON `calendar_feeds` (`user_id`);--> statement-breakpoint
ALTER TABLE `on_call_schedules` ADD `next_review_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `on_call_schedules_review` ON `on_call_schedules` (`next_review_at`) WHERE is_active = 1;