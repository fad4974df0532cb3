CREATE TABLE `linked_sign_ins` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`email` text,
	`begun_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `linked_sign_ins_subject` ON `linked_sign_ins` (`issuer`,`subject`);--> statement-breakpoint
CREATE INDEX `linked_sign_ins_user` ON `linked_sign_ins` (`user_id`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `linked_sign_in_id` text REFERENCES linked_sign_ins(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `sessions_linked` ON `sessions` (`linked_sign_in_id`);