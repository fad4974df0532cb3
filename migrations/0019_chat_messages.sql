CREATE TABLE `chat_messages` (
	`webhook_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`state` text NOT NULL,
	`message_id` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`webhook_id`, `thread_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `chat_messages_age` ON `chat_messages` (`updated_at`);