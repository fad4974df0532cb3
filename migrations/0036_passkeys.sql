CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`rp_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_id_unique` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`challenge_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_challenges_age` ON `used_challenges` (`expires_at`);--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `former_hash` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `former_until` integer;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `former_used_at` integer;--> statement-breakpoint
CREATE INDEX `api_tokens_former` ON `api_tokens` (`former_hash`) WHERE former_hash IS NOT NULL;