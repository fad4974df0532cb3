ALTER TABLE `users` ADD `deactivated_at` integer;--> statement-breakpoint
CREATE INDEX `users_deactivated` ON `users` (`deactivated_at`) WHERE deactivated_at IS NOT NULL;