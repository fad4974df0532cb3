CREATE TABLE `queue_health` (
	`queue` text PRIMARY KEY NOT NULL,
	`marker_sent_at` integer,
	`dead_letters` integer DEFAULT 0 NOT NULL,
	`dead_letter_at` integer
);
