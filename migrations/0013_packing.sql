ALTER TABLE `monitors` ADD `other_shards` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_shard` ON `monitors` (`shard_id`);--> statement-breakpoint
CREATE INDEX `check_groups_slow` ON `check_groups` (`id`) WHERE lane = 'slow';