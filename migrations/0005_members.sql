CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_outbox_due` ON `mail_outbox` (`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `mail_outbox_age` ON `mail_outbox` (`created_at`);--> statement-breakpoint
CREATE TABLE `page_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`token_hash` text NOT NULL,
	`invited_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_token_hash_unique` ON `page_invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `page_invitations_pending` ON `page_invitations` (`status_page_id`,`email`) WHERE accepted_at IS NULL;--> statement-breakpoint
CREATE INDEX `page_invitations_age` ON `page_invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `page_members` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`invitation_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_members_once` ON `page_members` (`status_page_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `page_members_user` ON `page_members` (`user_id`,`status_page_id`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`type` text NOT NULL,
	`title` text NOT NULL,
	`message` text NOT NULL,
	`status_page_id` text,
	`target_id` text,
	`read_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notifications_user` ON `notifications` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `passwords` (
	`user_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`last_used_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`created_at`);--> statement-breakpoint
ALTER TABLE `status_pages` ADD `imprint_url` text;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `privacy_url` text;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `advanced_alerts` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `alert_routing` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
DROP TABLE `guards`;--> statement-breakpoint
CREATE TABLE `guards` (
	`name` text NOT NULL,
	CONSTRAINT "guard_monitors" CHECK("guards"."name" <> 'monitors'),
	CONSTRAINT "guard_status_pages" CHECK("guards"."name" <> 'status_pages'),
	CONSTRAINT "guard_seats" CHECK("guards"."name" <> 'seats'),
	CONSTRAINT "guard_already_member" CHECK("guards"."name" <> 'already_member'),
	CONSTRAINT "guard_stale" CHECK("guards"."name" <> 'stale')
);
