CREATE TABLE `agent_commands` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`type` text NOT NULL,
	`params` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`acked_at` integer,
	`ok` integer,
	`result` text,
	`error` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_commands_waiting` ON `agent_commands` (`agent_id`,`created_at`) WHERE acked_at IS NULL;--> statement-breakpoint
CREATE INDEX `agent_commands_age` ON `agent_commands` (`created_at`);--> statement-breakpoint
CREATE TABLE `agent_reports` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_reports_agent` ON `agent_reports` (`agent_id`,`kind`,`at`);--> statement-breakpoint
CREATE INDEX `agent_reports_age` ON `agent_reports` (`at`);--> statement-breakpoint
CREATE TABLE `agent_results` (
	`monitor_id` text NOT NULL,
	`checked_at` integer NOT NULL,
	`status` text NOT NULL,
	`latency_ms` integer,
	`message` text NOT NULL,
	`details` text DEFAULT '{}' NOT NULL,
	`is_late` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`monitor_id`, `checked_at`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_results_expiry` ON `agent_results` (`expires_at`);--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text,
	`name` text NOT NULL,
	`hostname` text,
	`region` text,
	`version` text,
	`os` text,
	`arch` text,
	`capabilities` text DEFAULT '[]' NOT NULL,
	`token_hash` text,
	`next_token_hash` text,
	`status` text DEFAULT 'offline' NOT NULL,
	`last_seen_at` integer,
	`enrolled_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `agents_owner` ON `agents` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `agents_page` ON `agents` (`status_page_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_token` ON `agents` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_next_token` ON `agents` (`next_token_hash`);--> statement-breakpoint
CREATE INDEX `agents_online` ON `agents` (`last_seen_at`) WHERE status = 'online';--> statement-breakpoint
CREATE TABLE `install_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`agent_id` text,
	`status_page_id` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `install_tokens_token` ON `install_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `install_tokens_age` ON `install_tokens` (`expires_at`);--> statement-breakpoint
CREATE INDEX `monitors_agent` ON `monitors` (`agent_id`) WHERE agent_id IS NOT NULL;