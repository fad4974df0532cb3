export interface FooterLink {
  label: string;
  url: string;
}
