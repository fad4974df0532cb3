DROP TABLE `agent_latency`;--> statement-breakpoint
DROP TABLE `agent_results`;--> statement-breakpoint
ALTER TABLE `monitors` ADD `measured_by` text DEFAULT '[]' NOT NULL;