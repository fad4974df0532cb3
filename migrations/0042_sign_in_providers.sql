CREATE TABLE `sign_in_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`sealed` text NOT NULL,
	`account_domains` text DEFAULT '[]' NOT NULL,
	`required_domains` text DEFAULT '[]' NOT NULL,
	`trusts_addresses` integer DEFAULT false NOT NULL,
	`break_glass` text DEFAULT '[]' NOT NULL,
	`is_enabled` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
