DROP INDEX `monitors_unchecked`;--> statement-breakpoint
CREATE INDEX `monitors_reconcile` ON `monitors` (created_at % 5,`id`) WHERE check_group_id = '' AND agent_id IS NULL AND paused = 0;--> statement-breakpoint
ALTER TABLE `planned_minutes` DROP COLUMN `visited_to`;