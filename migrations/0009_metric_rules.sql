ALTER TABLE `monitors` ADD `has_metric_rules` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `monitors` SET `has_metric_rules` = 1 WHERE `status_page_id` IN (SELECT `id` FROM `status_pages` WHERE `metric_rules` > 0);
