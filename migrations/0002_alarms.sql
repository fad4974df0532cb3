CREATE TABLE `alarms` (
	`name` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`raised_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `users_operators` ON `users` (`id`) WHERE operator = 1;