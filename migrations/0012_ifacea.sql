CREATE TABLE `agent_latency` (
	`monitor_id` text NOT NULL,
	`day_at` integer NOT NULL,
	`hours` text NOT NULL,
	PRIMARY KEY(`monitor_id`, `day_at`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
